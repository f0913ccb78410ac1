a matrix                                                               |key
             3             1             1             1
iua                        2             3             3             0
(26I3)          (40I2)          (26I3)              
  1  2  3  4
 1 2 1
  1  0  3
