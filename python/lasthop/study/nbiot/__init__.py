"""NB-IoT networks as paths of a study: form, presets and the limits of 3GPP."""
