/// The N-th of some numbers in ascending order, infinity where there are fewer; for small N.
///
/// Every number passes by every place, so that nothing hangs on how a comparison comes out: that is faster than to sort.
pub(crate) fn nth_least<const N: usize>(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut least = [f64::INFINITY; N];
    for mut number in numbers {
        for place in &mut least {
            let (less, more) = if number < *place {
                (number, *place)
            } else {
                (*place, number)
            };
            *place = less;
            number = more;
        }
    }
    least[N - 1]
}

#[cfg(test)]
mod tests {
    use lasthop_contract::RandomStream;

    use super::*;

    #[test]
    fn it_is_that_of_the_sorted_numbers() {
        let mut stream = RandomStream::named(1, "numbers");
        for count in 0..40 {
            // Few values, so that there are equals.
            let numbers: Vec<f64> = (0..count).map(|_| stream.below(15) as f64).collect();
            let mut sorted = numbers.clone();
            sorted.sort_by(f64::total_cmp);
            let expected = sorted.get(8).copied().unwrap_or(f64::INFINITY);
            assert_eq!(nth_least::<9>(numbers.into_iter()), expected);
        }
    }
}
