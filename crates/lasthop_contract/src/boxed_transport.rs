use crate::{Transport, forward_transport};

/// Layers stand on each other as `Box<dyn Transport>`: which ones is data, not a type.
impl<T: Transport + ?Sized> Transport for Box<T> {
    forward_transport!(self => (**self); all);
}
