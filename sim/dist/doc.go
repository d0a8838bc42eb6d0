// Package dist answers: what shape has a random duration?
//
// A distribution is made from parameters and turns one draw into one sample:
//
//	work, err := dist.NewExponential(50 * time.Millisecond)
//	stream := seed.Key(purpose, entity, request, attempt).Stream()
//	demand := work.Sample(&stream)
//
// Every sample is the quantile of a uniform draw (inverse transform), so a larger
// draw is never a smaller sample, and the same draw put into two distributions
// gives samples that belong together: the ground of common random numbers. A mixture
// is the exception: it takes two draws, one for the part and one for its sample.
//
// A law is also found from what a team has: from quantiles (Fit), from values in a
// file (ReadCSV) and from the percentile text of an HdrHistogram (ReadHdr). Report
// says what was found.
//
// Samples are whole nanoseconds, never negative, and never longer than Longest.
// They come out the same on every machine (internal/exact).
package dist
