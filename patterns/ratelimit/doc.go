// Package ratelimit answers: may this call be made now, at what instant may it, or
// is it one too many for the rate that was agreed?
package ratelimit
