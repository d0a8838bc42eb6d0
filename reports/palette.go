package reports

import (
	"image/color"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// The eight colours of Okabe and Ito, "Color Universal Design" (2008), which
// stay apart for most readers with a colour vision deficiency. Where two of
// them come close, curves differ in width and dash as well.
var (
	black     = rgb(0x1f2328)
	orange    = rgb(0xe69f00)
	skyBlue   = rgb(0x56b4e9)
	green     = rgb(0x009e73)
	yellow    = rgb(0xf0e442)
	blue      = rgb(0x0072b2)
	vermilion = rgb(0xd55e00)
	purple    = rgb(0xcc79a7)
)

// Colours of everything that is not data, and darker relatives of the palette
// in which small words stay readable on white.
var (
	white       = rgb(0xffffff)
	inkDark     = rgb(0x1a1a1f)
	inkSoft     = rgb(0x68707a)
	axisGrey    = rgb(0x8b9199)
	gridGrey    = rgb(0xe4e7eb)
	levelGrey   = rgb(0x7a828c)
	darkAmber   = rgb(0x8f6200)
	darkOrange  = rgb(0xb04c00)
	darkGreen   = rgb(0x00714f)
	darkBlue    = rgb(0x005a8f)
	darkPurple  = rgb(0x8d4a73)
	paleGreen   = rgb(0xbfe3d8)
	plateOfText = faded(white, 0.8)
)

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// faded is a colour with opacity share, in [0,1].
func faded(c color.NRGBA, share float64) color.NRGBA {
	c.A = uint8(share*255 + 0.5)
	return c
}

// tint is how a kind of window is shaded and its name is written.
type tint struct{ shade, bar, ink color.NRGBA }

// windowTint gives the colours of a window; kinds that are not known are grey.
func windowTint(kind string) tint {
	switch kind {
	case "trigger":
		return tint{faded(orange, 0.22), darkAmber, darkAmber}
	case "metastable":
		return tint{faded(vermilion, 0.09), vermilion, darkOrange}
	case "rescue":
		return tint{faded(green, 0.13), green, darkGreen}
	case "recovering", "undecided", "overloaded":
		return tint{faded(purple, 0.14), purple, darkPurple}
	case "action":
		return tint{faded(skyBlue, 0.2), blue, darkBlue}
	default:
		return tint{faded(axisGrey, 0.15), axisGrey, inkSoft}
	}
}

// eventColour is that of the source, but of a bad verdict that of what goes on.
func eventColour(e *result.Event) color.NRGBA {
	for _, w := range []result.VerdictWord{result.Metastable, result.Overloaded} {
		if e.Source == "verdict" && strings.HasPrefix(e.What, string(w)) {
			return darkOrange
		}
	}
	return sourceColour(e.Source)
}

// sourceColour gives the colour of an event's circle and rule.
func sourceColour(source string) color.NRGBA {
	switch source {
	case "fault":
		return darkAmber
	case "operator":
		return blue
	case "pattern":
		return vermilion
	case "verdict":
		return darkGreen
	case "detector":
		return darkPurple
	default:
		return inkSoft
	}
}
