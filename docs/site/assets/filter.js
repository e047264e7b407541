// The page of operations: a field that leaves only the rows that have its words.
(() => {
  if (!/\/ops(\.html|\/)?$/.test(location.pathname)) return;
  const tables = [...document.querySelectorAll('.md-content table')], head = document.querySelector('.md-content h1');
  if (!tables.length || !head) return;
  const label = document.createElement('label'), field = document.createElement('input'), count = document.createElement('output');
  label.className = 'filter';
  field.type = 'search';
  field.placeholder = 'index_add, exact, sorted ...';
  label.append('Show only ', field, ' ', count);
  head.after(label);
  field.oninput = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const table of tables) {
      let left = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
        left += !row.hidden;
      }
      table.hidden = !left;
      shown += left;
    }
    count.textContent = words.length ? shown + ' rows' : '';
  };
})();
