BxJ`¾~C
f6ÃWC´ÿ^Ã÷!PÃ{™aÃ¿=NÃvjÂ@/áÂýÈC©¶B?nÃu’EÃº	gCcTÃà0ÃMð"CÅê ÃÚ›¹BrÇCŒ0‘CûQ€ÃBÛÁhHŠB