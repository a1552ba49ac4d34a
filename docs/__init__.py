"""The site: how its pages are made from code and how they are checked."""
