// A painting program of Qt: each stroke keeps the picture as it was before, for an undo that has no limit.
#include <QApplication>
#include <QHash>
#include <QImage>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QStack>
#include <QStatusBar>
#include <QTimer>
#include <cstdio>

class Canvas : public QWidget {
  public:
    explicit Canvas(QWidget *parent) : QWidget(parent), picture(160, 120, QImage::Format_RGB32)
    {
        picture.fill(Qt::white);
        setMinimumSize(160, 120);
    }
    void begin_stroke(const QColor &color)
    {
        undo.push(picture.copy()); // guilty
        pen = QPen(color, 3);
        brushes.insert(color.rgb(), pen);
    }
    void move_to(const QPoint &to)
    {
        QPainter painter(&picture);
        painter.setPen(pen);
        painter.drawLine(last, to);
        last = to;
        update();
    }
    int strokes() const
    {
        return undo.size();
    }

  protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.drawImage(0, 0, picture.scaled(size()));
    }

  private:
    QImage picture;
    QStack<QImage> undo;
    QHash<QRgb, QPen> brushes;
    QPen pen;
    QPoint last;
};

class PaintWindow : public QMainWindow {
  public:
    PaintWindow() : canvas(new Canvas(this)), timer(new QTimer(this))
    {
        setCentralWidget(canvas);
        connect(timer, &QTimer::timeout, this, [this] { play(); });
        timer->start(0);
    }

  private:
    void play() // what the hand of a user does
    {
        for (int i = 0; i < 10; i++) {
            canvas->begin_stroke(QColor::fromHsv(canvas->strokes() % 360, 200, 200));
            for (int step = 0; step < 5; step++)
                canvas->move_to(QPoint(canvas->strokes() * 7 % 160, step * 20));
        }
        show_status();
        if (canvas->strokes() >= 800) {
            std::printf("%d strokes\n", canvas->strokes());
            QApplication::quit();
        }
    }
    void show_status()
    {
        statusBar()->showMessage(QString("%1 strokes").arg(canvas->strokes()));
    }
    Canvas *canvas;
    QTimer *timer;
};

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    PaintWindow window;
    window.show();
    return app.exec();
}
