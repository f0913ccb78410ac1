a matrix                                                               |key
             1             1             0             0
rua                        2             3             0             0
(26I3)          (40I2)          (3E10.2)            
  1  1  1  1
