"""Result folders: written atomically, resumed, merged, and read back as data frames."""
