BzeroJ
๚ราE็dะภsเ