"""Published answers: what they reveal together about a few people, and rules for single cells."""
