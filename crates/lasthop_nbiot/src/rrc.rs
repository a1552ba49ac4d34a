//! Messages of RRC and NAS: their sizes, and their order in each procedure.
