use lasthop_classify::{Accountant, Classifier, Sight};
use lasthop_contract::IpView;
use lasthop_units::Instant;

/// Captures: the bytes as a file that comes in two pieces, and as IP packets behind a byte of length each.
///
/// However a file is cut, it is told of in the same way; of each packet every byte is told of once.
pub fn capture(data: &[u8]) {
    let whole = totals_of(&[data]);
    let (first, second) = data.split_at(data.len() / 2);
    assert_eq!(whole, totals_of(&[first, second]));
    check_packets(data);
}

/// The bytes of a file, and the error that it ends with.
fn totals_of(pieces: &[&[u8]]) -> (u64, u64, Option<String>) {
    let mut accountant = Accountant::new();
    let fed = pieces.iter().try_for_each(|piece| accountant.feed(piece));
    let fed = fed.and_then(|()| accountant.end_of_file());
    accountant.finish();
    let totals = accountant.totals();
    let bytes = totals.iter().map(|total| total.row.bytes).sum();
    let conversations = accountant.conversations();
    let by_conversation =
        conversations.map(|report| report.accounts[0].bytes() + report.accounts[1].bytes());
    assert_eq!(by_conversation.sum::<u64>(), bytes);
    let error = fed.err().map(|error| error.to_string());
    (bytes, accountant.findings().packets, error)
}

fn check_packets(mut data: &[u8]) {
    let mut classifier = Classifier::new();
    let (mut taken, mut told) = (0, 0);
    let mut now = Instant::ZERO;
    while let [length, rest @ ..] = data {
        let (packet, rest) = rest.split_at(rest.len().min((*length).into()));
        data = rest;
        // Frames may be longer than what was kept of them.
        let length = packet.len().max((*length).into());
        let view = IpView::read_beginning(packet, length);
        taken += view.map_or(length, |view| view.payload().end) as u64;
        now = Instant::from_nanos(now.as_nanos() + 1_000_000_000);
        classifier.handle(now, Sight::Unknown, packet, length);
        told += drain(&mut classifier);
    }
    classifier.finish();
    told += drain(&mut classifier);
    assert_eq!(taken, told);
}

fn drain(classifier: &mut Classifier) -> u64 {
    let mut told = 0;
    while let Some(portion) = classifier.poll() {
        told += portion.bytes();
    }
    told
}
