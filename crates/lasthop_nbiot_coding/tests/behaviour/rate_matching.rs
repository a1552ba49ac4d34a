use lasthop_nbiot_coding::rate_matching::{convolutional, turbo};

fn is_permutation(places: &[usize], size: usize) -> bool {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    sorted == (0..size).collect::<Vec<_>>()
}

#[test]
fn a_turn_of_the_buffer_sends_every_bit_once() {
    for length in [31, 44, 64, 100, 284, 1028, 2564] {
        for version in 0..4 {
            let turn = turbo(length, version, 3 * length);
            assert!(
                is_permutation(&turn, 3 * length),
                "turbo {length}, version {version}"
            );
        }
        let turn = convolutional(length, 3 * length);
        assert!(is_permutation(&turn, 3 * length), "convolutional {length}");
    }
}

#[test]
fn behind_its_end_the_buffer_starts_again() {
    let twice = turbo(44, 0, 264);
    assert_eq!(twice[..132], twice[132..]);
    let twice = convolutional(39, 234);
    assert_eq!(twice[..117], twice[117..]);
}

#[test]
fn redundancy_version_0_leaves_out_the_first_two_columns() {
    // 64 bits fill two rows of 32 columns. Column 0 and 16 come last, column 8 first (TS 36.212 table 5.1.4-1).
    let places = turbo(64, 0, 192);
    assert_eq!(places[..6], [8, 40, 24, 56, 4, 36]);
    assert_eq!(places[188..], [0, 32, 16, 48]);
    // Behind the 32 columns of the systematic bits the parities take turns, the second shifted by one place.
    assert_eq!(places[60..64], [64, 128 + 1, 64 + 32, 128 + 33]);
}

#[test]
fn redundancy_version_2_starts_among_the_parities() {
    // k0 = 2 x (2 x ceil(192 / 16) x 2 + 2) = 100: 36 places into the parities, which is behind 18 of each.
    let places = turbo(64, 2, 4);
    let column = 18;
    assert_eq!(
        places,
        [
            64 + column,
            128 + column + 1,
            64 + column + 32,
            128 + column + 33
        ]
    );
    let unshifted = turbo(64, 0, 192);
    let at = unshifted
        .iter()
        .position(|place| *place == places[0])
        .unwrap();
    assert_eq!(at, 100 - 4);
}

#[test]
fn dummies_fill_the_first_row_and_are_never_sent() {
    // 44 bits leave 20 dummies: column 8 holds one and then bit 40 - 20, column 24 the bits 24 - 20 and 56 - 20.
    assert_eq!(turbo(44, 0, 3), [20, 4, 36]);
    assert_eq!(convolutional(44, 3), [13, 29, 21]);
}

#[test]
fn the_columns_of_the_convolutional_code_start_with_the_odd_ones() {
    let places = convolutional(32, 96);
    assert_eq!(places[..4], [1, 17, 9, 25]);
    assert_eq!(places[16..20], [0, 16, 8, 24]);
    assert_eq!(places[32..34], [33, 49]);
}
