// Package priority answers: when a share of the calls has to be shed, which ones?
//
// Every call has a class, and within it a level, drawn at random unless the caller
// carries one along. Levels are numbered through all classes, higher is more
// important. The shedder counts how many calls come at each level and cuts off the
// lowest ones, as many as make up the share that is to be shed:
//
//	calls
//	  |  ::   ::                    :: shed
//	  |  ::   ::##                  ## admitted
//	  |  ::   ::##   ##   ##
//	  +--------+---------------> level
//	   class 0 | class 1 | class 2
//	           threshold
//
// The levels within a class are there so that a part of a class can be shed, and
// always the same part: a call that carries its level through several services is
// shed early or not at all, where independent draws at each would waste the work
// of the first.
//
// # Calibration
//
// At each end of a calibrationInterval (aligned to the driver's origin) the
// thresholds are set from the calls of the interval that ended, admitted and shed.
// With n calls in it, n_c of class c, a share s wanted and g_c the guaranteed share
// of a class, what is admitted is
//
//	A   = (1 - s) n
//	A_c = min(n_c, g_c A) + what the classes above leave of A - sum min(n_c, g_c A)
//
// and each class sheds its lowest levels down to A_c, the level on the boundary by
// a draw, so that the calls of that interval would have been shed by exactly s on
// average. Without guarantees this is one threshold through all classes; with them
// the lowest class keeps g_c of what is served even while a higher one alone could
// fill it. Guarantees that a class does not use are free for the others.
//
// An interval with fewer than minimumNumberOfCalls says nothing: nothing is shed
// in the next. So nothing is shed in the first.
//
// # What the share is
//
// The driver says so, whenever it likes, by Want: 1 - capacity/offered where both
// are known, the rejection probability of a throttle, or QueueShare of a queue's
// length, as failsafe-go has it.
//
// # When not to use it
//
// Not where all calls matter alike: a class of one is a coin with extra steps. Not
// where callers choose their own class unchecked: all will be of the highest. Not
// as the only guard of a sudden burst: the thresholds lag by an interval.
//
// # Values
//
// failsafe-go has five classes of 100 levels. An interval of 1s holds enough calls
// of a busy service; it should hold some hundred calls, so that a level is not
// decided by one of them. Guarantees are best kept small, and 0 for the class that
// exists to be shed.
//
// Sources: failsafe-go's prioritizer (levels, classes, calibration on a timer);
// "Overload Control for Scaling WeChat Microservices" (Zhou et al., 2018) for the
// histogram and the levels carried along.
package priority
