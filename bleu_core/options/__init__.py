"""What a user may choose: options, conventions, signatures, names that other tools use."""
