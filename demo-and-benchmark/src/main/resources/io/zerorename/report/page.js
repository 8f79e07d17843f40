// What the pages of the demo and of the benchmark share. Each page has a script of its own behind its text.
const report = JSON.parse(document.getElementById("report").textContent);

const count = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 0 });
const decimals = (digits) => (value) => value.toFixed(digits);
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const sum = (values) => values.reduce((all, value) => all + value, 0);

Chart.defaults.font.family = "system-ui, sans-serif";
Chart.defaults.font.size = 13;

// Charts are drawn in the colours of the moment.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => location.reload());

/** An element with text, or with other elements, in it. */
function element(tag, cssClass, ...content) {
  const made = document.createElement(tag);
  if (cssClass) made.className = cssClass;
  made.append(...content);
  return made;
}

const fill = (id, ...content) => document.getElementById(id).replaceChildren(...content);

/**
 * Horizontal bars below each other, with a label above and the sum behind each.
 *
 * @param bars label and values by part; total, least and most, where it was measured several times
 * @param parts name and colour, in the order of the values
 */
function chart(bars, parts, text) {
  const lengths = bars.map((bar) => Math.max(sum(bar.values), bar.most || 0));
  const sorted = [...lengths].sort((one, other) => other - one);
  // One bar that is far longer than all others would leave nothing to see of them.
  const isCut = sorted.length > 2 && sorted[1] > 0 && sorted[0] > 5 * sorted[1];
  const end = (isCut ? 1.4 * sorted[1] : sorted[0]) || 1;
  // The parts of a bar that is cut keep their proportions.
  const scale = (bar, i) => (lengths[i] > end ? end / lengths[i] : 1);
  const canvas = element("canvas");
  const box = element("div", "chart", canvas);
  // On a narrow screen most parts have a line of the legend of their own.
  const legend = parts.length > 1 ? 40 + (innerWidth < 600 ? 16 : 10) * parts.length : 8;
  box.style.height = bars.length * 48 + legend + "px";
  const numbers = {
    afterDatasetsDraw(drawn) {
      const { ctx, scales } = drawn;
      ctx.textBaseline = "middle";
      bars.forEach((bar, i) => {
        const shapes = parts.map((part, p) => drawn.getDatasetMeta(p).data[i]);
        const y = shapes[0].y;
        ctx.font = "12px system-ui, sans-serif";
        ctx.fillStyle = color("inside");
        ctx.textAlign = "center";
        shapes.forEach((shape, p) => {
          const number = text(bar.values[p]);
          if (parts.length > 1 && ctx.measureText(number).width < shape.x - shape.base - 6) {
            ctx.fillText(number, (shape.base + shape.x) / 2, y);
          }
        });
        let right = scales.x.getPixelForValue(sum(bar.values) * scale(bar, i));
        if (bar.most > bar.least && lengths[i] <= end) {
          const [from, to] = [bar.least, bar.most].map((value) => scales.x.getPixelForValue(value));
          ctx.fillStyle = color("text");
          ctx.fillRect(from, y - 0.75, to - from, 1.5);
          ctx.fillRect(from, y - 5, 1.5, 10);
          ctx.fillRect(to, y - 5, 1.5, 10);
          right = Math.max(right, to);
        }
        ctx.font = "bold 14px system-ui, sans-serif";
        ctx.fillStyle = color("text");
        ctx.textAlign = "left";
        ctx.fillText((lengths[i] > end ? "\u2026 " : "") + text(bar.total ?? sum(bar.values)), right + 8, y);
      });
    },
  };
  const axis = { stacked: true, grid: { display: false }, border: { display: false } };
  // The width is known when the box is in the page.
  const draw = () =>
    new Chart(canvas, {
      type: "bar",
      data: {
        labels: bars.map((bar) => bar.label),
        datasets: parts.map(([name, its], p) => ({
          label: name,
          backgroundColor: color(its),
          barThickness: 18,
          data: bars.map((bar, i) => bar.values[p] * scale(bar, i)),
        })),
      },
      options: {
        indexAxis: "y",
        animation: false,
        maintainAspectRatio: false,
        layout: { padding: { right: 90, top: 4 } },
        scales: {
          x: { ...axis, display: false, max: end },
          y: {
            ...axis,
            ticks: { mirror: true, labelOffset: -19, padding: 0, color: color("text"), font: { size: 14 } },
          },
        },
        plugins: {
          legend: {
            display: parts.length > 1,
            position: "bottom",
            align: "start",
            labels: { color: color("soft"), boxWidth: 11, boxHeight: 11 },
          },
          tooltip: {
            callbacks: { label: ({ datasetIndex: p, dataIndex: i }) => parts[p][0] + " " + text(bars[i].values[p]) },
          },
        },
      },
      plugins: [numbers],
    });
  addEventListener("load", draw);
  return box;
}

/** A table that scrolls by itself where it is too wide; the first cell of each line is its head. */
function table(head, lines) {
  const cells = (tag) => (cell, i) =>
    cell instanceof Node ? cell : element(i ? tag : "th", /[a-z]{3}/.test(cell) ? "words" : "", cell);
  const rows = lines.map(({ cssClass, cells: line }) => element("tr", cssClass, ...line.map(cells("td"))));
  return element(
    "div",
    "scroll",
    element("table", "", element("thead", "", element("tr", "", ...head.map(cells("th")))), element("tbody", "", ...rows)),
  );
}
