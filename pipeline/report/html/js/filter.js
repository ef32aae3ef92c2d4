// What the instrumentation filter keeps and drops.

function buildFilter() {
  const data = report.filter;
  if (!data) return;
  const [name, short, kept, reason, visits, time] = [0, 1, 2, 3, 4, 5];
  const total = (column) => sum(data.rows.map((row) => row[column])) || 1;
  const totals = { visits: total(visits), time: total(time) };
  const number = (key, title, help, column) => ({ key, title, help, kind: "number", value: (i) => data.rows[i][column],
    cell: (i) => barNode(data.rows[i][column] / totals[key], amount(data.rows[i][column]), data.rows[i][kept] ? "" : "muted") });
  new DataTable(byId("filter-table"), {
    caption: "Regions that the filter decides on", sort: ["time", true],
    rows: () => data.rows.map((_, i) => i), text: (i) => data.rows[i][name].toLowerCase(),
    columns: [
      { key: "name", title: "Region", value: (i) => data.rows[i][short], cell: (i) => cutNode(data.rows[i][short], data.rows[i][name]) },
      { key: "kept", title: "Decision", value: (i) => (data.rows[i][kept] ? "kept" : "dropped"),
        cell: (i) => el("span", { class: `flag ${data.rows[i][kept] ? "kept" : "dropped"}` }, data.rows[i][kept] ? "kept" : "dropped") },
      number("visits", "Visits", "How often it was entered, at the largest scale", visits),
      number("time", "Time", "Exclusive core-seconds at the largest scale", time),
      { key: "why", title: "Why", kind: "prose", value: (i) => data.reasons[data.rows[i][reason]], cell: (i) => data.reasons[data.rows[i][reason]] },
    ],
  });
}
