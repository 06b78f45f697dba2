
BxJ •—<EH˙Mû“\NKõ E’QS>œ“Ÿ”PQ¨‘ã,