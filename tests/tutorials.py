"""Texts of tutorials that implement BLEU from scratch."""

CANDIDATE_1 = (
    "It is a guide to action which ensures that the military always obeys the commands of the party"
)
CANDIDATE_2 = "It is to insure the troops forever hearing the activity guidebook that party direct"
SHUFFLED = (
    "the that military a is It guide ensures which to commands the of action obeys always party the"
)
REPEATED = " ".join(["It"] * 13)
REFERENCES = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
]
