ByJ`¤GÙB'í?CŸjoCvíMCZ
ÜB_~$CžåC¼FáBØ—LB5qBtxuBEB£éBíeClL5CzC¥ƒ:CœjC»„ECrz·B0ÈþA»aBÊuBaeB