use lasthop_world::RunSpec;

/// The text of a run spec: what is accepted can be written out and read again.
pub fn run_spec(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else {
        return;
    };
    match RunSpec::parse(text) {
        Ok(spec) => {
            let written = serde_json::to_string(&spec).expect("a spec has finite numbers");
            let again = RunSpec::parse(&written).expect("what is accepted stays accepted");
            assert_eq!(again, spec);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
