use crate::script::Script;

/// A script against one of two ends that have finished an honest handshake.
pub(crate) trait Attack {
    /// Starts against the client (0) or the server (1).
    fn new(victim: usize) -> Self;

    /// Executes the next operation of the script.
    fn step(&mut self, script: &mut Script<'_>);

    /// Checks what must hold after each step.
    fn check(&mut self);

    /// Checks what must hold at the end of the script.
    fn end(&mut self);
}

/// Runs a script, whose first byte chooses the victim (1: the client).
pub(crate) fn drive<A: Attack>(data: &[u8]) {
    let mut script = Script::new(data);
    let mut attack = A::new(usize::from(1 - (script.byte() & 1)));
    while !script.is_empty() {
        attack.step(&mut script);
        attack.check();
    }
    attack.end();
}
