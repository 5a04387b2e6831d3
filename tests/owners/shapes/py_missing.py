class Palette(dict):
    def __missing__(self, key):
        red, green, blue = key
        ramp = [(red * i // 64, green * i // 64, blue * i // 64) for i in range(64)]
        self[key] = ramp  # guilty
        return ramp

class Canvas:
    def __init__(self, palette):
        self.palette = palette
        self.dots = 0

    def dot(self, colour, shade):
        self.dots += 1
        return self.palette[colour][shade]

def picture(n):
    return [(n % 251, (n * 7 + i) % 253, i % 241) for i in range(20)]

def main():
    canvas, total = Canvas(Palette()), 0
    for n in range(800):
        for colour in picture(n):
            total += sum(canvas.dot(colour, n % 64))
    print(total, len(canvas.palette))

main()
