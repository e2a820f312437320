"use strict";
// How things look on the canvas: shapes for kinds of entries, and labels that never cover each other.

// Circles, squares and diamonds by sigma's program of points: only the distance from the middle is measured otherwise.
// Points and plain lines are drawn all at once; where the processor stands in for a graphics card, what is drawn one by
// one (sigma's other programs) makes thousands of entries crawl.
const shaped = (distance) => class extends Sigma.rendering.NodePointProgram {
  getDefinition() {
    const plain = super.getDefinition();
    return { ...plain, FRAGMENT_SHADER_SOURCE: plain.FRAGMENT_SHADER_SOURCE.replace("length(m)", distance) };
  }
};
const SHAPES = { circle: shaped("length(m)"), square: shaped("max(abs(m.x), abs(m.y)) * 1.15"), diamond: shaped("(abs(m.x) + abs(m.y))") };
const LINES = { thin: Sigma.rendering.EdgeLineProgram, line: Sigma.rendering.EdgeRectangleProgram, arrow: Sigma.rendering.EdgeArrowProgram };
const FEW = 300, FINE = 2000; // from this many edges on those without, and those with an arrow are hair lines, but for those of what is chosen
const SHAPE_OF = { note: "circle", topic: "circle", kb: "square" };

// Texts with a halo; a text that would cover an earlier one of the same frame is left out.
class Labels {
  constructor(look) { this.look = look; this.taken = []; }
  start() { this.taken = []; }
  draw(context, text, x, y, font, colour, always) {
    context.font = font;
    const width = context.measureText(text).width, height = parseInt(/(\d+)px/.exec(font)[1], 10);
    const box = [x - 3, y - height, x + width + 3, y + 4];
    if (!always && this.taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) return false;
    this.taken.push(box);
    context.lineWidth = 4; context.lineJoin = "round"; context.strokeStyle = this.look.paper; context.fillStyle = colour;
    context.strokeText(text, x, y); context.fillText(text, x, y);
    return true;
  }
}
const cut = (text, length) => (text.length > length ? text.slice(0, length - 1).trimEnd() + "…" : text);
