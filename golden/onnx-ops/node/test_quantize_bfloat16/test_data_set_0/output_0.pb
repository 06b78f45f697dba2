ByJ@	€m±sΩFS∆
0n›s5GÛ∆å≥mzs·F:∆