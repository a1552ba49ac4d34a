//! What the programs of this package measure, and the host that measures it.
//!
//! `message_pairs` measures CPU time a message; `session_storm` packets a second; `nbiot_city` what a device of a network
//! costs; `memory` bytes an object, and checks the limits that `benchmarks/memory.md` states.

mod message_pairs;
mod nbiot_city;
mod session_storm;
mod usage;

pub use message_pairs::{MessagePairs, PairStack, UnknownStack};
<<<<<<< HEAD
pub use nbiot_city::{NbIotCity, NbIotCityOutcome};
=======
pub use nbiot_city::{CityContent, NbIotCity, UnknownContent};
>>>>>>> w-world
pub use session_storm::SessionStorm;
pub use usage::{UsageError, cpu_time, peak_memory_mib};
