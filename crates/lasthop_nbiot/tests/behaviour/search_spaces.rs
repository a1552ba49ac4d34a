use lasthop_nbiot::config::SearchSpaceConfig;
use lasthop_nbiot::phy::{SearchSpace, Subframe};

fn space(rmax: u16, g: f64, offset_eighths: u8) -> SearchSpace {
    SearchSpace::new(&SearchSpaceConfig {
        rmax,
        g,
        offset_eighths,
    })
}

#[test]
fn periods_start_where_a_walk_over_every_subframe_finds_them() {
    for (rmax, g, eighths) in [
        (4, 1.5, 0),
        (8, 2.0, 1),
        (16, 1.5, 3),
        (64, 4.0, 2),
        (512, 4.0, 3),
        (1, 4.0, 1),
    ] {
        let space = space(rmax, g, eighths);
        let t = (f64::from(rmax) * g) as u64;
        assert_eq!(space.period(), t);
        let starts: Vec<u64> = (0..12 * t)
            .filter(|s| s % t == t * u64::from(eighths) / 8)
            .collect();
        for s in 0..10 * t {
            let next = starts.iter().find(|start| **start >= s).unwrap();
            assert_eq!(space.next_start(Subframe(s)), Subframe(*next));
            let last = starts
                .iter()
                .rev()
                .find(|start| **start <= s)
                .unwrap_or(&starts[0]);
            assert_eq!(space.start_before(Subframe(s)), Subframe(*last));
        }
    }
}

#[test]
fn candidates_are_those_of_the_table() {
    let counts = |rmax| {
        [1, 2, 4, 8, 16, 32, 64].map(|repetitions| space(rmax, 4.0, 0).candidates(repetitions))
    };
    assert_eq!(counts(1), [1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(counts(2), [2, 1, 0, 0, 0, 0, 0]);
    assert_eq!(counts(4), [4, 2, 1, 0, 0, 0, 0]);
    assert_eq!(counts(8), [8, 4, 2, 1, 0, 0, 0]);
    assert_eq!(counts(16), [0, 8, 4, 2, 1, 0, 0]);
    assert_eq!(counts(64), [0, 0, 0, 8, 4, 2, 1]);
    assert_eq!(space(64, 4.0, 0).candidates(24), 0);
}
