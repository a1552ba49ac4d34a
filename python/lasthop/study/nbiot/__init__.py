"""An NB-IoT network as the path of a study: its form, its presets, what 3GPP allows of it."""
