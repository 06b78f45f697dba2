BxJ‰A
