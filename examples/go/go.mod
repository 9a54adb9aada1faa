module podium.example

go 1.19
