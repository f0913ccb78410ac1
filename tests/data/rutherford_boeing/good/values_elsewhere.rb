values in another file                                                  q
             3             1             1             0
qua                        2             3             3             0
(4I4)           (3I4)
   1   2   3   4
   1   2   1
