a matrix                                                               |key
             3             1             1             1
rua                        2             3             3             0
(26I3)          (40I2)          (3E10.2)            
  1  2  3  4
 1 2 1
       far  3.00E+00
