/// A table of values with reusable numbers.
///
/// The things lie in boxes, so that an empty place takes a word.
#[derive(Clone, Debug)]
pub struct Slots<T> {
    places: Vec<Option<Box<T>>>,
    free: Vec<u32>,
}

impl<T> Slots<T> {
    /// Creates an empty table.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Adds a value. Returns its number, which is the last one freed or the next one.
    pub fn add(&mut self, thing: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            (self.places.len() - 1) as u32
        });
        self.places[number as usize] = Some(Box::new(thing));
        number
    }

    /// Returns the value with this number.
    #[inline]
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&T> {
        self.places.get(number as usize)?.as_deref()
    }

    /// Returns the value with this number for modification.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.places.get_mut(number as usize)?.as_deref_mut()
    }

    /// Removes a value.
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let thing = self.places.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(*thing)
    }

    /// Returns the highest number ever used plus one.
    #[must_use]
    pub fn places(&self) -> u32 {
        self.places.len() as u32
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_given_back_is_given_out_again() {
        let mut slots = Slots::new();
        let numbers: Vec<u32> = ["a", "b", "c"].map(|thing| slots.add(thing)).into();
        assert_eq!(slots.remove(numbers[1]), Some("b"));
        assert_eq!(slots.get(numbers[1]), None);
        assert_eq!(slots.remove(numbers[1]), None);
        assert_eq!(slots.add("d"), numbers[1]);
        assert_eq!(slots.get(numbers[1]), Some(&"d"));
        assert_eq!(slots.len(), 3);
    }
}
