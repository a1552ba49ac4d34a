"""NB-IoT networks as paths of a study: form, presets and 3GPP limits."""
