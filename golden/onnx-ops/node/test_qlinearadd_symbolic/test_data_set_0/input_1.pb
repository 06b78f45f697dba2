Ba_scaleJ
+=