use core::cell::RefCell;
use std::sync::Arc;

/// What the hosts of a stack were told so far: those that are told the same share it.
#[derive(Debug)]
pub(crate) struct Shared<T> {
    known: RefCell<Vec<Arc<T>>>,
}

/// Servers of their own make as many as there are devices, of which the next one is told none.
const MOST: usize = 4;

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self {
            known: RefCell::default(),
        }
    }
}

impl<T: PartialEq> Shared<T> {
    /// What is told, shared with those who were told the same.
    pub(crate) fn of(&self, told: T) -> Arc<T> {
        let mut known = self.known.borrow_mut();
        if let Some(same) = known.iter().find(|known| ***known == told) {
            return Arc::clone(same);
        }
        let told = Arc::new(told);
        if known.len() < MOST {
            known.push(Arc::clone(&told));
        }
        told
    }
}
