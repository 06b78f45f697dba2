BzeroJ
hÆÍfçÈ%…F