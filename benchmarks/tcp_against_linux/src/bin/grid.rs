//! Prints the cells of the grid, one a line as a JSON object.

use serde_json::json;
use tcp_against_linux::Cell;

fn main() {
    for cell in (0..Cell::COUNT).filter_map(Cell::at) {
        let line = json!({
            "cell": cell.index,
            "congestion": cell.congestion.name(),
            "workload": cell.workload.name(),
            "writes": cell.workload.writes(),
            "window_bytes": cell.workload.window(),
            "loss_percent": (100.0 * cell.loss.value()).round(),
            "delay_ms": cell.delay.as_nanos() / 1_000_000,
            "timestamps": cell.timestamps,
        });
        println!("{line}");
    }
}
