// The outline of a document: a model of its headings, made again when the text was changed.
#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QRegularExpression>
#include <QTextStream>
#include <QTimer>
#include <QVector>
#include <functional>

class OutlineItem
{
public:
    explicit OutlineItem(const QString &title, int level, OutlineItem *parent = nullptr)
        : m_title(title), m_level(level), m_parent(parent)
    {
        if (parent)
            parent->m_children.append(this);
    }
    ~OutlineItem() { qDeleteAll(m_children); }

    QString m_title;
    int m_level;
    QVariantMap m_data;
    OutlineItem *m_parent;
    QVector<OutlineItem *> m_children;
};

class OutlineModel : public QAbstractItemModel
{
public:
    using QAbstractItemModel::QAbstractItemModel;

    QModelIndex index(int row, int column, const QModelIndex &parent) const override
    {
        return createIndex(row, column, itemAt(parent)->m_children.at(row));
    }
    QModelIndex parent(const QModelIndex &index) const override
    {
        OutlineItem *up = itemAt(index)->m_parent;
        return up == m_root || !up ? QModelIndex() : createIndex(up->m_parent->m_children.indexOf(up), 0, up);
    }
    int rowCount(const QModelIndex &parent) const override { return m_root ? itemAt(parent)->m_children.size() : 0; }
    int columnCount(const QModelIndex &) const override { return 1; }
    QVariant data(const QModelIndex &index, int role) const override
    {
        return role == Qt::DisplayRole ? QVariant(itemAt(index)->m_title) : QVariant();
    }

    // The root that was before is not given back: its children belong to it, and it belongs to nobody.
    void setSource(const QString &text);

private:
    OutlineItem *itemAt(const QModelIndex &index) const
    {
        return index.isValid() ? static_cast<OutlineItem *>(index.internalPointer()) : m_root;
    }
    OutlineItem *m_root = nullptr;
};

void OutlineModel::setSource(const QString &text)
{
    static const QRegularExpression heading(QStringLiteral("^(#+) (.*)$"), QRegularExpression::MultilineOption);
    beginResetModel();
    OutlineItem *last = m_root = new OutlineItem(QString(), 0);
    auto matches = heading.globalMatch(text);
    while (matches.hasNext()) {
        const auto match = matches.next();
        const int level = match.capturedLength(1);
        while (last->m_level >= level)
            last = last->m_parent;
        last = new OutlineItem(match.captured(2), level, last);
        last->m_data.insert(QStringLiteral("position"), match.capturedStart()); // guilty
    }
    endResetModel();
}

class Document
{
public:
    std::function<void(const QString &)> changed;

    void load()
    {
        for (int i = 0; i < 400; ++i)
            m_text += QStringLiteral("%1 Chapter %2\n\nSome words on it.\n").arg(QString(i % 4 ? 2 : 1, u'#')).arg(i);
        m_history.reserve(1000);
    }
    void type(int n)
    {
        const QString word = QStringLiteral("word%1 ").arg(n);
        m_text.insert(m_text.size() - 10, word);
        m_history.append(word);
        changed(m_text);
    }

private:
    QString m_text;
    QStringList m_history;
};

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    Document document;
    OutlineModel model;
    document.changed = [&](const QString &text) { model.setSource(text); };
    document.load();
    int typed = 0;
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, [&] {
        document.type(typed);
        if (++typed == 400)
            app.quit();
    });
    timer.start(0);
    app.exec();
    QTextStream(stdout) << model.rowCount(QModelIndex()) << " chapters\n";
    return 0;
}
