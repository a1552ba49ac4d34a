pub mod key_and_instance_handle;
