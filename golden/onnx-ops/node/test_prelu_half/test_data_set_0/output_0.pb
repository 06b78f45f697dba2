
BYJiAû:Â8ØC.S¿