/// DomainId type alias
pub type DomainId = i32;
