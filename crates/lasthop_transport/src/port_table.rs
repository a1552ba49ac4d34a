use std::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::LookupMap;

use crate::local::FIRST_EPHEMERAL;

/// Whose the ports of a host are, where several transports share them.
#[derive(Debug, Default)]
pub(crate) struct PortTable {
    /// Those that services listen at, and those that clients chose.
    claimed: LookupMap<(u8, u16), u8>,
    /// Blocks of the ports that clients are given, each of one protocol and transport. There are few.
    blocks: Vec<Block>,
    /// The first transport of each protocol answers for the ports that are nobody's.
    protocols: Vec<(u8, u8)>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    protocol: u8,
    first: u16,
    column: u8,
}

/// The share of one transport in the ports of its host.
#[derive(Clone, Debug)]
pub(crate) struct SharedPorts {
    table: Rc<RefCell<PortTable>>,
    column: u8,
    protocol: u8,
    claimed: Vec<u16>,
}

/// How many ports a transport is given at a time.
const BLOCK: u16 = 1024;

impl PortTable {
    /// The transport that a packet to this port is for; none where no transport speaks the protocol.
    pub(crate) fn owner(&self, protocol: u8, port: u16) -> Option<u8> {
        if let Some(column) = self.claimed.get(&(protocol, port)) {
            return Some(*column);
        }
        let holds = |block: &&Block| {
            block.protocol == protocol && (block.first..=block.last()).contains(&port)
        };
        if let Some(block) = self.blocks.iter().find(holds) {
            return Some(block.column);
        }
        let mut protocols = self.protocols.iter();
        protocols.find_map(|(spoken, column)| (*spoken == protocol).then_some(*column))
    }

    /// Returns the first port of a free block in this protocol.
    fn free_block(&self, protocol: u8) -> Option<u16> {
        let is_free = |first: &u16| {
            let mut blocks = self.blocks.iter();
            !blocks.any(|block| block.protocol == protocol && block.first == *first)
        };
        (FIRST_EPHEMERAL..=u16::MAX)
            .step_by(BLOCK.into())
            .find(is_free)
    }
}

impl Block {
    const fn last(&self) -> u16 {
        self.first + (BLOCK - 1)
    }
}

impl SharedPorts {
    pub(crate) const fn new(table: Rc<RefCell<PortTable>>, column: u8) -> Self {
        Self {
            table,
            column,
            protocol: 0,
            claimed: Vec::new(),
        }
    }

    pub(crate) fn speak(&mut self, protocol: u8) {
        self.protocol = protocol;
        let protocols = &mut self.table.borrow_mut().protocols;
        if !protocols.iter().any(|(spoken, _)| *spoken == protocol) {
            protocols.push((protocol, self.column));
        }
    }

    /// Makes a port this transport's; whether it is.
    pub(crate) fn claim(&mut self, port: u16) -> bool {
        let claimed = &mut self.table.borrow_mut().claimed;
        let key = (self.protocol, port);
        match claimed.get(&key) {
            Some(owner) => *owner == self.column,
            None => {
                claimed.insert(key, self.column);
                self.claimed.push(port);
                true
            }
        }
    }

    /// Gives back what was claimed.
    pub(crate) fn release(&mut self) {
        let mut table = self.table.borrow_mut();
        for port in self.claimed.drain(..) {
            table.claimed.remove(&(self.protocol, port));
        }
    }

    /// The next port in turn, within the blocks of this transport, that is not taken; a further block when all are.
    pub(crate) fn take_free(
        &mut self,
        next: &mut u16,
        is_taken: impl Fn(u16) -> bool,
    ) -> Option<u16> {
        let mut table = self.table.borrow_mut();
        let (protocol, column) = (self.protocol, self.column);
        let is_free = |table: &PortTable, port: u16| {
            !table.claimed.contains(&(protocol, port)) && !is_taken(port)
        };
        let own = || {
            let blocks = table.blocks.iter();
            let own = blocks.filter(|block| (block.protocol, block.column) == (protocol, column));
            own.flat_map(|block| block.first..=block.last())
        };
        let later = own().filter(|port| *port >= *next);
        let in_turn = later.chain(own().filter(|port| *port < *next));
        let mut found = in_turn.into_iter().find(|port| is_free(&table, *port));
        if found.is_none() {
            let first = table.free_block(protocol)?;
            let block = Block {
                protocol,
                first,
                column,
            };
            table.blocks.push(block);
            found = (first..=block.last()).find(|port| is_free(&table, *port));
        }
        if let Some(port) = found {
            *next = port.wrapping_add(1);
        }
        found
    }
}
