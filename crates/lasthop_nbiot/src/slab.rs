/// Values under numbers that are used again.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.places[number as usize] = Some(value);
            return number;
        }
        self.places.push(Some(value));
        (self.places.len() - 1) as u32
    }

    /// Takes the value with this number, which is there.
    pub(crate) fn remove(&mut self, number: u32) -> T {
        self.free.push(number);
        self.places[number as usize]
            .take()
            .expect("a number stands for one value at a time")
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
        }
    }
}
