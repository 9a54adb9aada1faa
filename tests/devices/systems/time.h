#ifndef SYSTEMS_TIME_H
#define SYSTEMS_TIME_H
typedef long time_t;
#endif
