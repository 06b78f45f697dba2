BturnedJŠª0
×Y%u{ñ±yuÅ