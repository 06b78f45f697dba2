"""The nets of make-nets.py, one file per family."""
