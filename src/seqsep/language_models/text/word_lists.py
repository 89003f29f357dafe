"""The names and words of the questions. Changing them changes every prompt: `question.REVISION` grows then."""

_FIRST_NAMES = """
Ada Alan Amy Anna Ben Bruno Carl Cora Dana David Dora Edith Elias Emma Erik Eva Felix Fiona Flora Frank George Grace Hanna
Henry Hugo Ida Igor Iris Ivan Jack James Jane Jonas Julia Karen Karl Kate Laura Leo Lily Linda Louis Lucy Maria Mark
Martha Max Mia Nina Noah Nora Olga Oscar Otto Paul Peter Rosa Ruth Sam Sara Simon Tom Vera Will
"""
FIRST_NAMES = tuple(_FIRST_NAMES.split())
_LAST_NAMES = """
Abbott Adams Allen Archer Bailey Baker Barnes Barrett Bell Bennett Berry Bishop Black Blake Bond Bowen Brooks Brown Bryant
Burke Burns Butler Byrne Cain Carter Chase Clark Cole Collins Cook Cooper Cox Crane Cross Curtis Dale Davis Dawson Dean
Dixon Doyle Drake Duncan Dunn Elliott Ellis Evans Ferguson Field Fisher Fleming Ford Foster Fowler Fox Freeman Gardner
Gibson Gilbert Gordon Graham Grant Gray Green Griffin Hale Hall Hardy Harper Harris Hayes Hill Holmes Hughes Hunt Irwin
Jackson Jenkins Johnson Jordan Keller Kelly Kennedy King Knight Lamb Lane Lawson Lewis Long Lowe Marsh Mason Mills Moore
Morgan Murphy Nash Newton Norris Oliver Owen Palmer Parker Pearce Perry Porter Price Quinn Ramsey Reed Rhodes Rivers
Rogers Rose Russell Sharp Shaw Stone Sutton Tate Taylor Turner Walsh Ward Webb West Wood
"""
LAST_NAMES = tuple(_LAST_NAMES.split())
INITIALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORDS = """
apple arm autumn ball bank bell bird boat book bread bridge brother butter cake candle chair cloud coat corn cup desk door
ear engine farm field fire fish flag floor forest garden glass gold grass hand hat hill horse house island key lake lamp
leaf letter milk moon mouth music needle night paper pencil rain ring river road root salt ship snow table tree
"""
WORDS = tuple(_WORDS.split())
